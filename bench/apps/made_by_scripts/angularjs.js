// AngularJS with its router: pages at routes behind "#!".
import angular from 'angular'
import 'angular-route'

document.getElementById('app').innerHTML = '<div ng-view></div>'
const template = `<main><h1>{{page.title}}</h1><p>{{page.text}}</p>
    <ul><li ng-repeat="link in page.links"><a ng-href="#!{{link[0]}}">{{link[1]}}</a></li></ul></main>`
const page = ($http, $location) => $http.get(`/data/${$location.path().slice(1) || 'home'}.json`).then(got => got.data)
angular.module('plants', ['ngRoute']).config(['$routeProvider', routes => routes.otherwise({
    template,
    controller: ['$scope', 'page', function (scope, page) { scope.page = page }],
    resolve: { page: ['$http', '$location', page] },
})])
angular.bootstrap(document.getElementById('app'), ['plants'])
